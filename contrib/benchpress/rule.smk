# Benchpress includes this file with the name of the folder as module_name.
rule:
    name:
        module_name
    input:
        data=alg_input_data(),
        # The file as its author wrote it: the script reads every kind of constraint itself. For null
        # in the configuration this is the empty file "None".
        edge_constraints="resources/constraints/{edgeConstraints}",
    output:
        adjmat=alg_output_adjmat_path(module_name),
        time=alg_output_time_path(module_name),
        ntests=alg_output_ntests_path(module_name),
    container:
        "docker://bpimages/bnsieve:0.9.0"
    script:
        "script.py"
